/**
 * What all scripts begin with. The calls of a project in flight are one JSON text, because they are few and change together:
 * `leases` by id with replica, lanes and end; `replicas` with the end of their interest; of each lane who waits and until when, whose
 * turn was when, and how refusals by the service have lowered the limit. Redis keeps the time, since clocks of replicas differ.
 */
const COMMON = `
local now = redis.call('TIME')
local nowMs = now[1] * 1000 + math.floor(now[2] / 1000)
local state = cjson.decode(redis.call('GET', KEYS[1]) or '{}')
state.leases = state.leases or {}
state.replicas = state.replicas or {}
state.lanes = state.lanes or {}
for id, lease in pairs(state.leases) do
  if lease.untilMs <= nowMs then state.leases[id] = nil end
end
local function expire(ends)
  for name, untilMs in pairs(ends) do
    if untilMs <= nowMs then ends[name] = nil end
  end
end
expire(state.replicas)
local function laneOf(name)
  local lane = state.lanes[name] or { waiting = {}, turns = {}, lowered = 0 }
  state.lanes[name] = lane
  expire(lane.waiting)
  return lane
end
local function limitOf(lane, limit)
  if not lane.reduced then return limit end
  return math.min(limit, lane.reduced + math.floor(math.max(0, nowMs - lane.reducedAtMs) / RECOVERY_MS))
end
local function heldBy(laneName, replica)
  local held = 0
  for _, lease in pairs(state.leases) do
    if lease.lanes[laneName] and (not replica or lease.replica == replica) then held = held + 1 end
  end
  return held
end
local function count(names)
  local n = 0
  for _ in pairs(names) do n = n + 1 end
  return n
end
local function keep()
  redis.call('SET', KEYS[1], cjson.encode(state), 'PX', KEEP_MS)
end
`;

/** After a refusal by the service the limit grows again by one in this time, as that of a process does. */
function script(body: string, { recoveryMs, keepMs }: { recoveryMs: number; keepMs: number }): string {
  return (COMMON + body).replaceAll('RECOVERY_MS', String(recoveryMs)).replaceAll('KEEP_MS', String(keepMs));
}

/** ARGV: replica, lease, ms of the lease, of waiting and of interest, then name and limit of each lane. Gives granted, replicas, leases left, and refusals so far by lane. */
const TAKE = `
local replica, id = ARGV[1], ARGV[2]
local granted, lanes, seen, left = 1, {}, {}, math.huge
state.replicas[replica] = nowMs + tonumber(ARGV[5])
for index = 6, #ARGV, 2 do
  local name, lane = ARGV[index], laneOf(ARGV[index])
  local mine = heldBy(name, replica)
  local rest = limitOf(lane, tonumber(ARGV[index + 1])) - heldBy(name)
  local free = rest > 0
  left = math.min(left, rest - 1)
  for other in pairs(lane.waiting) do
    local theirs = heldBy(name, other)
    local earlier = (lane.turns[other] or 0) < (lane.turns[replica] or 0)
    if other ~= replica and (theirs < mine or (theirs == mine and earlier)) then free = false end
  end
  lanes[name] = true
  seen[#seen + 1] = lane.lowered
  if not free then
    granted = 0
    lane.waiting[replica] = nowMs + tonumber(ARGV[4])
    break
  end
end
if granted == 1 then
  state.leases[id] = { replica = replica, lanes = lanes, untilMs = nowMs + tonumber(ARGV[3]) }
  for name in pairs(lanes) do
    local lane = laneOf(name)
    lane.waiting[replica] = nil
    state.turn = (state.turn or 0) + 1
    lane.turns[replica] = state.turn
    for other in pairs(lane.turns) do
      if not state.replicas[other] then lane.turns[other] = nil end
    end
  end
end
keep()
return { granted, count(state.replicas), left, unpack(seen) }`;

/**
 * ARGV: replica, ms of the lease, ms of interest, then id and lanes (`all` or `all speed`) of each lease of the replica: they hold on,
 * and are there again where Redis had lost them. One without lanes is left as it is; those that are not named end.
 */
const HOLD = `
state.replicas[ARGV[1]] = nowMs + tonumber(ARGV[3])
local named = {}
for index = 4, #ARGV, 2 do
  local lanes = {}
  named[ARGV[index]] = true
  for name in string.gmatch(ARGV[index + 1], '%S+') do lanes[name] = true end
  if next(lanes) then state.leases[ARGV[index]] = { replica = ARGV[1], lanes = lanes, untilMs = nowMs + tonumber(ARGV[2]) } end
end
for id, lease in pairs(state.leases) do
  if lease.replica == ARGV[1] and not named[id] then state.leases[id] = nil end
end
keep()
return 1`;

/** ARGV: lease, replica, channel, text for other replicas that wait, then for each lane whose limit the service's refusal lowers its name, its limit, and the refusals when the call began. */
const GIVE = `
state.leases[ARGV[1]] = nil
for index = 5, #ARGV, 3 do
  local lane = laneOf(ARGV[index])
  if lane.lowered == tonumber(ARGV[index + 2]) then
    lane.reduced = math.max(1, math.floor(limitOf(lane, tonumber(ARGV[index + 1])) / 2))
    lane.reducedAtMs = nowMs
    lane.lowered = lane.lowered + 1
  end
end
local others = false
for name in pairs(state.lanes) do
  for waiting in pairs(laneOf(name).waiting) do others = others or waiting ~= ARGV[2] end
end
keep()
if others then redis.call('PUBLISH', ARGV[3], ARGV[4]) end
return 1`;

/** The scripts that take, hold and give back the leases of a project; each is about one key. */
export function leaseScripts(times: { recoveryMs: number; keepMs: number }) {
  return { take: script(TAKE, times), hold: script(HOLD, times), give: script(GIVE, times) };
}
