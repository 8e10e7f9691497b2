// Short notices at the edge of the screen. Callable from anywhere; `ui/toaster` draws them.
import { create } from 'zustand';

export type ToastTone = 'neutral' | 'success' | 'warning' | 'error';

export type Toast = {
  id: number;
  title: string;
  description?: string;
  tone: ToastTone;
  /** A command for the terminal, to copy, and what it is for. */
  command?: { label: string; text: string };
  /** One thing to do about it: `{ label: 'Undo', run }`. */
  action?: { label: string; run: () => void };
  /** Milliseconds until it leaves; `null` stays until closed. */
  duration: number | null;
};

type Toasts = { toasts: Toast[] };
export const useToasts = create<Toasts>(() => ({ toasts: [] }));

const most = 4;
let last = 0;

export type ToastOptions = Partial<Omit<Toast, 'id' | 'title'>> & { title: string };

/** Shows a notice and returns its id. Errors stay until they are closed. */
export function toast(options: ToastOptions): number {
  const { tone = 'neutral', action } = options;
  const usual = tone === 'error' ? null : action ? 8_000 : 4_000;
  last += 1;
  const fresh: Toast = { ...options, id: last, tone, duration: options.duration ?? usual };
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts, fresh].slice(-most) }));
  return fresh.id;
}

export function dismissToast(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) }));
}

/** A notice with an Undo button. */
export function toastWithUndo(title: string, undo: () => void): number {
  return toast({ title, action: { label: 'Undo', run: undo } });
}
