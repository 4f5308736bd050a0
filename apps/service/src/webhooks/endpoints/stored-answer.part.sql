-- An endpoint as it is shown (s), stored for retries of the request. Times have the form of the API.
(to_jsonb(s) || jsonb_build_object('paused_at', left(s.paused_at::text, 19),
    'failing_since', left(s.failing_since::text, 19), 'next_attempt_at', left(s.next_attempt_at::text, 19),
    'previous_secret_until', left(s.previous_secret_until::text, 19), 'created_at', left(s.created_at::text, 19)))::json
