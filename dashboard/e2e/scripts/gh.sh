#!/bin/sh
# `gh` for one repository with one pull request: a check failed, and one person approved it.
for last; do :; done
answer() { printf 'HTTP/2.0 %s\r\nContent-Type: application/json\r\n\r\n%s' "$1" "$2"; }
link=https://github.com/some/where/pull/5
case "$last" in
  repos/some/where/pulls)
    cat >"$(dirname "$0")/sent"
    answer '201 Created' "{\"number\": 5, \"html_url\": \"$link\", \"body\": \"\"}" ;;
  repos/some/where/pulls/5)
    answer '200 OK' "{\"number\": 5, \"html_url\": \"$link\", \"title\": \"It adds\", \"state\": \"open\", \"draft\": true,
      \"merged\": false, \"mergeable\": true, \"merge_commit_sha\": null, \"head\": {\"ref\": \"a\", \"sha\": \"abc\"},
      \"base\": {\"ref\": \"main\", \"sha\": \"def\"}}" ;;
  repos/some/where/pulls/5/reviews*)
    answer '200 OK' '[{"user": {"login": "ann"}, "state": "APPROVED"}]' ;;
  repos/some/where/commits/abc/check-runs*)
    answer '200 OK' '{"check_runs": [{"name": "build", "status": "completed", "conclusion": "failure", "html_url": null}]}' ;;
  repos/some/where/commits/abc/status*) answer '200 OK' '{"statuses": []}' ;;
  *) answer '200 OK' '[]' ;;
esac
