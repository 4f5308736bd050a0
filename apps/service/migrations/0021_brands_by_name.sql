-- outside a transaction
-- Brands are compared like articles: brands.ts and the lists of items with `brand`.
create index concurrently if not exists brands_by_name on brands (article_key(brand_name) collate "C");
