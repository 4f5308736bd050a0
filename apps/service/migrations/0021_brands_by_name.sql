-- outside a transaction
-- Brands are compared like articles: for named-brands.part.sql.
create index concurrently if not exists brands_by_name on brands (article_key(brand_name) collate "C");
