import { LoaderCircle } from 'lucide-react';
import { cn } from '@/lib/cn';

type SpinnerProps = { className?: string };

/** Only the picture; say in words, nearby or by `aria-busy`, what is loading. */
export function Spinner({ className }: SpinnerProps) {
  return <LoaderCircle aria-hidden className={cn('size-4 animate-spin', className)} />;
}
