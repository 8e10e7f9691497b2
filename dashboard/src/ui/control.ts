/** The look that every field to type or choose in shares. */
export const control =
  'w-full rounded-md border border-line-strong bg-panel text-sm text-fg shadow-low transition-colors placeholder:text-subtle hover:border-control focus-visible:border-focus focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-focus disabled:cursor-not-allowed disabled:bg-sunken disabled:opacity-70 aria-invalid:border-failed';
