select minor_digits::integer as minor_digits from currencies where currency_code = :currency_code
