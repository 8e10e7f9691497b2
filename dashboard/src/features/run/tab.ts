export type TabProps = { id: string; at: number | null };
