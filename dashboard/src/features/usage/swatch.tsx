type SwatchProps = { colour: string };

/** The colour of a series, by the name of its token. */
export function Swatch({ colour }: SwatchProps) {
  return (
    <span
      aria-hidden
      className="inline-block size-2.5 shrink-0 rounded-[3px]"
      style={{ background: `var(${colour})` }}
    />
  );
}
