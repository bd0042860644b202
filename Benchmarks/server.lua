-- The client of `bin/bench server`, for wrk with one thread:
--
--   wrk -t1 -cN … -s server.lua ADDRESS -- fill IDS COUNT       makes books, and writes their ids to the file IDS
--   wrk -t1 -cN … -s server.lua ADDRESS -- list
--   wrk -t1 -cN … -s server.lua ADDRESS -- key IDS [COUNT]      ends after so many answers
--   wrk -t1 -cN … -s server.lua ADDRESS -- create
--   wrk -t1 -cN … -s server.lua ADDRESS -- change IDS FIRST COUNT
--
-- It prints what was answered: the requests, the errors of connections, and two latencies in microseconds. An answer
-- that is no success ends it.

local load = nil
local ids = {}
-- The number of answers after which it ends, and how many there were.
local limit, answered = math.huge, 0
-- The books that are not being changed, the one that has waited longest first, and the versions of all.
local waiting, first, last, versions = {}, 1, 0, {}
local file = nil
-- One of these numbers for each book that is made.
local number = 0

local authors = 100

local function book()
    number = number + 1
    local names = string.format('"Author %d"', number % authors)
    -- Every fourth book has two authors.
    if number % 4 == 0 then names = names .. string.format(',"Author %d"', (number / 4 + 50) % authors) end
    return string.format(
        '{"title":"Book %05d of the shop","year":%d,"pages":%d,"authors":[%s]}', number * 7919 % 99991,
        1800 + number * 31 % 221, 100 + number * 17 % 900, names)
end

function init(arguments)
    load = arguments[1]
    wrk.headers["Content-Type"] = "application/json"
    if load == "fill" then
        file, limit = assert(io.open(arguments[2], "w")), tonumber(arguments[3])
    elseif load == "key" or load == "change" then
        for id in io.lines(arguments[2]) do ids[#ids + 1] = id end
    end
    if load == "key" then limit = tonumber(arguments[3]) or limit end
    if load == "change" then
        local start, count = tonumber(arguments[3]), tonumber(arguments[4])
        for place = start + 1, start + count do
            last = last + 1
            waiting[last] = assert(ids[place], "there are too few books")
            versions[ids[place]] = 1
        end
    end
end

function request()
    if load == "list" then return wrk.format("GET", "/books?where=year%20%3E%201900&limit=20") end
    if load == "key" then return wrk.format("GET", "/books/" .. ids[math.random(#ids)]) end
    if load == "change" then
        -- Until its answer is here, a book is changed by no other connection.
        local id = assert(waiting[first], "all books are being changed")
        waiting[first], first = nil, first + 1
        local body = string.format('{"pages":%d,"version":%d}', first % 1000 + 1, versions[id])
        return wrk.format("PATCH", "/books/" .. id, nil, body)
    end
    return wrk.format("POST", "/books", nil, book())
end

local function stop(status, message)
    if file then file:close() end
    io.write(message, "\n")
    io.flush()
    os.exit(status)
end

function response(status, headers, body)
    if status < 200 or status > 299 then
        stop(1, string.format("%s was answered by %d %s", load, status, (body:gsub("%s+$", ""))))
    end
    answered = answered + 1
    if load == "fill" then
        file:write(body:match('"id":"([^"]+)"'), "\n")
    elseif load == "change" then
        local id = body:match('"id":"([^"]+)"')
        versions[id], last = versions[id] + 1, last + 1
        waiting[last] = id
        if tonumber(body:match('"version":(%d+)')) ~= versions[id] then stop(1, "it is another version: " .. body) end
    end
    -- wrk itself would wait until its time is over.
    if answered == limit then stop(0, "answered " .. answered) end
end

function done(summary, latency, requests)
    local errors = summary.errors
    io.write(string.format(
        "answered %d errors %d middle %d high %d\n", summary.requests,
        errors.connect + errors.read + errors.write + errors.timeout + errors.status, latency:percentile(50),
        latency:percentile(99)))
end
