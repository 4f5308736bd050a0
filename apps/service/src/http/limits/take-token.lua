-- Takes a token from a key's bucket (KEYS[1]), which refills by ARGV[1] a second and holds ARGV[2]; or, if ARGV[3] is not 0,
-- charges as many, at most until the bucket is overdrawn by the refill of ARGV[4] seconds. Stores what is left, and when, in
-- milliseconds. A full bucket need not be stored, so it expires. `rate-limit.ts` calculates in the same way.
-- Returns how many tokens are left; or, below zero, in how many seconds there will be one.
local rate, burst, charged = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local bucket = redis.call('HMGET', KEYS[1], 'left', 'at')
local left = tonumber(bucket[1]) or burst
local passed = math.max(0, now - (tonumber(bucket[2]) or now))
left = math.min(burst, left + passed / 1000 * rate)
local taken = charged > 0 or left >= 0.9
if charged > 0 then left = math.max(left - charged, -tonumber(ARGV[4]) * rate) elseif taken then left = left - 1 end
redis.call('HSET', KEYS[1], 'left', string.format('%.6f', left), 'at', string.format('%.3f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((burst - left) / rate * 1000) + 1)
if taken and left >= -0.1 then return math.max(0, math.floor(left + 0.1)) end
return -math.max(1, math.ceil((0.9 - left) / rate))
