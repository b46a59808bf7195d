"""Counters and gauges for whoever scrapes `/metrics`.

In memory of each process, added up by prometheus-client.
"""

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("moorage_requests", "Requests answered.", ["route", "status"])
SECONDS = Histogram(
    "moorage_request_seconds",
    "Time to answer, without the time spent waiting for an event.",
    ["route_class"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)
ANONYMOUS_REFUSALS = Counter(
    "moorage_anonymous_refusals", "Requests refused without a known caller.", ["route", "status"]
)
EVENTS_NUMBERED = Counter("moorage_events_numbered", "Events put in order by this process.")
SWEEP_FAILURES = Counter("moorage_sweep_failures", "Sweeps that ended with an error.", ["sweep"])
WAITING = Gauge(
    "moorage_waiting_requests", "Requests asleep on a topic.", multiprocess_mode="livesum"
)
