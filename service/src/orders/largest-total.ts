/** The largest total that an order, or what a contract's open orders add up to, can have: the columns hold 15 digits, three of them after the point. */
export const totalMax = 999_999_999_999.999

/** What PostgreSQL says of a larger one: numeric_value_out_of_range. */
export const numericOverflow = '22003'
