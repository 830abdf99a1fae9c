/**
 * Calls in flight are counted in two lanes: all calls of a project, and those of speed analysis. KEYS are `replicas`, then `held`,
 * `waiting`, `turns` and `lowered` of each lane. `replicas`, `held` and `waiting` are sorted sets of ids by the instant at which they
 * expire; `turns` holds callers, and callers with their replica, by the instant of their last lease; `lowered` is the limit after a
 * refusal by the service, and when that was. All instants are those of Redis in ms, because the clocks of replicas differ.
 */
const COMMON = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + time[2] / 1000
local function laneAt(index)
  local at = 4 * index - 3
  return { held = KEYS[at + 1], waiting = KEYS[at + 2], turns = KEYS[at + 3], lowered = KEYS[at + 4] }
end
local function addUntil(set, member, ms)
  redis.call('ZADD', set, nowMs + ms, member)
  redis.call('PEXPIRE', set, ms)
end
local function expire(set)
  redis.call('ZREMRANGEBYSCORE', set, '-inf', nowMs)
end
local function turnOf(lane, member)
  return tonumber(redis.call('ZSCORE', lane.turns, member) or 0)
end
local function callerOf(member)
  return string.match(member, '%S+')
end
local function isBefore(lane, one, other)
  local caller, otherCaller = callerOf(one), callerOf(other)
  if caller == otherCaller then return turnOf(lane, one) < turnOf(lane, other) end
  return turnOf(lane, caller) < turnOf(lane, otherCaller)
end
local function loweredOf(lane)
  local to, at = string.match(redis.call('GET', lane.lowered) or '', '(%S+) (%S+)')
  return tonumber(to), tonumber(at)
end
local function limitOf(lane, limit)
  local to, at = loweredOf(lane)
  return to and math.min(limit, to + math.floor((nowMs - at) / RECOVERY_MS)) or limit
end
local function freeIn(lane, limit)
  expire(lane.held)
  expire(lane.waiting)
  return limitOf(lane, limit) - redis.call('ZCARD', lane.held)
end
local function announce(lane, limit, channel)
  if freeIn(lane, limit) <= 0 then return end
  local next
  for _, member in ipairs(redis.call('ZRANGE', lane.waiting, 0, -1)) do
    if not next or isBefore(lane, member, next) then next = member end
  end
  if next then redis.call('PUBLISH', channel, 'free ' .. lane.held .. ' ' .. next) end
end
`;

/**
 * ARGV: replica, lease, member (caller and replica), channel, then ms of the lease, of waiting and of interest, then the limit of each
 * lane. The caller whose last lease is the oldest goes first, and of one caller the replica whose last lease is. Answers whether the lease
 * is granted, how many replicas call this project, and the instant. It begins with a command that a Redis without memory refuses, because
 * after another one Redis would run it to the end, while it refuses to renew the leases.
 */
const ACQUIRE = `
local replica, lease, member, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local leaseMs, waitingMs, interestMs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
addUntil(KEYS[1], replica, interestMs)
expire(KEYS[1])
local replicas = redis.call('ZCARD', KEYS[1])
for index = 1, #ARGV - 7 do
  local lane = laneAt(index)
  local free = freeIn(lane, tonumber(ARGV[7 + index]))
  for _, other in ipairs(redis.call('ZRANGE', lane.waiting, 0, -1)) do
    if isBefore(lane, other, member) then free = free - 1 end
  end
  if free <= 0 then
    addUntil(lane.waiting, member, waitingMs)
    return { 0, replicas, '0' }
  end
end
for index = 1, #ARGV - 7 do
  local lane = laneAt(index)
  addUntil(lane.held, lease, leaseMs)
  redis.call('ZREM', lane.waiting, member)
  redis.call('ZADD', lane.turns, nowMs, member, nowMs, callerOf(member))
  redis.call('ZREMRANGEBYSCORE', lane.turns, '-inf', nowMs - interestMs)
  redis.call('PEXPIRE', lane.turns, interestMs)
  announce(lane, tonumber(ARGV[7 + index]), channel)
end
return { 1, replicas, tostring(nowMs) }`;

/**
 * ARGV: replica, ms of the lease and of interest, then id and number of lanes of each lease. Those that Redis has lost are counted again.
 */
const RENEW = `
addUntil(KEYS[1], ARGV[1], tonumber(ARGV[3]))
for at = 4, #ARGV, 2 do
  for index = 1, tonumber(ARGV[at + 1]) do addUntil(laneAt(index).held, ARGV[at], tonumber(ARGV[2])) end
end
return 1`;

/**
 * ARGV: lease, member that waits no more (or empty), channel, instant at which the call began if the service refused it (or empty), then
 * the limit of each lane. A refusal halves the limit, unless it was lowered since the call began.
 */
const RELEASE = `
local lease, member, channel, refusedFrom = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
for index = 1, #ARGV - 4 do
  local lane, limit = laneAt(index), tonumber(ARGV[4 + index])
  redis.call('ZREM', lane.held, lease)
  redis.call('ZREM', lane.waiting, member)
  local _, loweredAt = loweredOf(lane)
  if refusedFrom and refusedFrom >= (loweredAt or 0) then
    local to = math.max(1, math.floor(limitOf(lane, limit) / 2))
    redis.call('SET', lane.lowered, to .. ' ' .. nowMs, 'PX', limit * RECOVERY_MS)
  end
  announce(lane, limit, channel)
end
return 1`;

/** The scripts about the leases of one project. A lowered limit grows by one each time that `recoveryMs` have passed. */
export function leaseScripts(recoveryMs: number) {
  const script = (body: string) => (COMMON + body).replaceAll('RECOVERY_MS', String(recoveryMs));
  return { acquire: script(ACQUIRE), renew: script(RENEW), release: script(RELEASE) };
}
