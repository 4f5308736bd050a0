-- One request of a key's bucket (KEYS[1]), which fills by ARGV[1] a second and holds ARGV[2]. The bucket is one number: when it will be full
-- again, in milliseconds. A full one is as good as none, so that it expires by itself. `rate-limit.ts` reckons the same way.
-- Returns how many requests are left, or -1 when there was none.
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local token_ms = 1000 / ARGV[1]
local full_at = math.max(tonumber(redis.call('GET', KEYS[1])) or 0, now) + token_ms
local left = ARGV[2] - (full_at - now) / token_ms
if left < -0.1 then return -1 end
redis.call('SET', KEYS[1], string.format('%.3f', full_at), 'PX', math.ceil(full_at - now))
return math.max(0, math.floor(left + 0.1))
