-- outside a transaction
-- Articles are compared by this key: without case, spaces, dashes, dots and slashes, including those of typography.
-- The index is for list-items.sql and add-cart-items.sql.
create or replace function article_key(article text) returns text
  language sql immutable parallel safe
  return lower(translate(article, U&' -./\\\00A0\2009\202F\2010\2011\2012\2013\2014\2212', ''));

create index concurrently items_by_article on items (article_key(item_vendor_code) collate "C", item_id);
