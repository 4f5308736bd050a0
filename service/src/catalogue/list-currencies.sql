-- There are not two hundred of them in the world.
select currency_code, minor_digits::integer as minor_digits, rate from currencies
order by currency_code
limit 500
