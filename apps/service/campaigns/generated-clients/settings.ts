/** What both programs get from the test. */
export const baseUrl = process.env['BASE_URL'] ?? 'http://127.0.0.1:8080'
export const key = process.env['API_KEY'] ?? ''

export const address = {
  zip: '10115',
  country_code: 'DE',
  region_code: 'DE-BE',
  city: 'Berlin',
  street: 'Invalidenstraße',
  home: '116',
}
