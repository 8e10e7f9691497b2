/** What every tab of the run page is given. */
export type TabProps = {
  id: string;
  /** The sequence number that the time slider stands at; `null` is now. */
  at: number | null;
};
