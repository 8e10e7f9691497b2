type LiveRegionProps = {
  /** Said when it changes. Keep the region mounted and change the words. */
  message: string;
  /** Interrupts: only for what cannot wait. */
  assertive?: boolean;
};

export function LiveRegion({ message, assertive = false }: LiveRegionProps) {
  return (
    <div
      role={assertive ? 'alert' : 'status'}
      aria-live={assertive ? 'assertive' : 'polite'}
      className="sr-only"
    >
      {message}
    </div>
  );
}
