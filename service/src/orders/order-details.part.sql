-- Generated from order-fields.ts by npm run generate.
-- The columns of an order (o) that clients see on request: `detailFields`.
  o.zip, o.country_code, o.region_code, o.city, o.street, o.home, o.room, o.currency_code,
  o.tax_mode, o.tax_percent, o.discount_percent, o.reference, o.comment,
