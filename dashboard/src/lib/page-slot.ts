// Where a page puts its title and actions: the shell offers the place, `ui/page-header` fills it.
import { create } from 'zustand';

type Slot = { element: HTMLElement | null };
export const usePageSlot = create<Slot>(() => ({ element: null }));
export const offerPageSlot = (element: HTMLElement | null) => usePageSlot.setState({ element });
