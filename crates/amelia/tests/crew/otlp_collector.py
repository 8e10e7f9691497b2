"""A collector of traces: reads OTLP over HTTP in its JSON form with the official protocol, refuses the first request, and
prints what it takes, one line per request. The first line is its port."""
import base64
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

refused = False


def with_bytes(span):
    """OTLP writes ids in hexadecimal, where JSON of other protocols has base64."""
    for key in ("traceId", "spanId", "parentSpanId"):
        if key in span:
            span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()


def value_of(value):
    return getattr(value, value.WhichOneof("value"))


def shown(span):
    return {
        "trace": span.trace_id.hex(), "id": span.span_id.hex(), "parent": span.parent_span_id.hex(),
        "name": span.name, "ms": (span.end_time_unix_nano - span.start_time_unix_nano) // 1_000_000,
        "error": span.status.code == 2, "attributes": {a.key: value_of(a.value) for a in span.attributes},
    }


class Collector(BaseHTTPRequestHandler):
    def do_POST(self):
        global refused
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if not refused:
            refused = True
            return self.answer(503)
        for resource in body["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    with_bytes(span)
        request = json_format.ParseDict(body, ExportTraceServiceRequest())
        spans = [shown(s) for r in request.resource_spans for scope in r.scope_spans for s in scope.spans]
        key = self.headers["authorization"]
        print(json.dumps({"path": self.path, "key": key, "spans": spans}), flush=True)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
