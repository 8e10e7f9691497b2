type MarkProps = { className?: string };

/** Amelia's sign: a peak and the line of a wing. */
export function Mark({ className }: MarkProps) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M7 24.5 16 6.5l9 18"
        fill="none"
        className="stroke-accent-fg"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path
        d="M11.2 18.6c3.4-1.9 6.6-1.9 9.6 0"
        fill="none"
        className="stroke-accent-fg"
        strokeOpacity="0.7"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  );
}
