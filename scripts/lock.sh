# Read by set-up scripts. Tests run beside each other and set up the same directory: one works, the others wait for it.
#   lock DIR     held until the script ends; look again afterwards whether there is still something to do
lock() {
  mkdir -p "$(dirname "$1")" || exit 1
  exec 9>"$1.lock" || exit 1
  if command -v flock >/dev/null 2>&1; then flock 9 || exit 1; fi
}
