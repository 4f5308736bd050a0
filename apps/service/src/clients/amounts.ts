/** The largest total of an order and the largest exposure of a contract: both columns are numeric(15, 3). */
export const totalMax = 999_999_999_999.999
