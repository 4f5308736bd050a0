-- What a cart group's key stands for besides the group: stored with the order, it recognises a repeated request.
:lines_digest || :prices_digest || :terms_digest || case when :virtual then '-virtual' else '' end
