import { useToasts } from '@/lib/toast';
import { ToastCard } from '@/ui/toast-card';

/** Draws the toasts. Mounted once; the region is always there, so that new ones are read out. */
export function Toaster() {
  const toasts = useToasts((state) => state.toasts);
  return (
    <section
      aria-label="Notifications"
      aria-live="polite"
      aria-relevant="additions text"
      className="pointer-events-none fixed inset-x-3 bottom-17 z-70 flex flex-col items-end gap-2 md:right-4 md:bottom-4 md:left-auto"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>
  );
}
