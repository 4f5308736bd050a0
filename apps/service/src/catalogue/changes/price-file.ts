/** The items as a price and stock file: one line for each, for spreadsheets and for programs that take files. */
import Type, { type Static } from 'typebox'
import { OfferedItem } from '../list-items.ts'

const { item_id, item_vendor_code, item_barcode, item_title, price, currency_code, tax_mode } = OfferedItem.properties

export const PriceFileRow = Type.Object({
  item_id,
  brand_name: Type.String(),
  item_vendor_code,
  item_barcode,
  item_title,
  price,
  net_price: Type.Optional(Type.Number()),
  currency_code,
  tax_mode,
  available: Type.Integer(),
  back_order: Type.Boolean(),
  available_by_stock: Type.String(),
})

export function priceFileRow({ brand, availability, net, ...item }: OfferedItem): Static<typeof PriceFileRow> {
  return {
    ...item,
    brand_name: brand.brand_name,
    ...(net === undefined ? {} : { net_price: net.price }),
    available: availability.reduce((sum, { available }) => sum + available, 0),
    back_order: availability.some(({ back_order }) => back_order),
    available_by_stock: availability.map(({ stock_id, available }) => `${stock_id}:${available}`).join(' '),
  }
}
