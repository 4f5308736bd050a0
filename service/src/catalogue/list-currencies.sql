-- Not paged: the world has fewer than two hundred.
select currency_code, minor_digits::integer as minor_digits, rate from currencies
order by currency_code
limit 500
