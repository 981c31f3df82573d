-- The results of a run as JSON, and the requests of some scenarios: wrk ... -s wrk.lua URL -- [files N | post SIZE]
local files = nil

function init(arguments)
  if arguments[1] == "files" then
    files = tonumber(arguments[2])
    math.randomseed(os.time())
  elseif arguments[1] == "post" then
    wrk.method = "POST"
    wrk.body = string.rep("x", tonumber(arguments[2]))
    wrk.headers["Content-Type"] = "application/octet-stream"
    wrk.headers["Content-Length"] = arguments[2]
  end
  if files then
    request = function()
      return wrk.format("GET", string.format("/many/%d.html", math.random(0, files - 1)))
    end
  end
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "bytes": %d, "seconds": %.6f, "errors": %d, "p50": %d, "p95": %d, "p99": %d}\n',
    summary.requests, summary.bytes, summary.duration / 1e6,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
