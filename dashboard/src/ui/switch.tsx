import { Switch as Radix } from 'radix-ui';
import { cn } from '@/lib/cn';
import { type LabelProps, WithLabel } from './with-label';

type SwitchProps = LabelProps & { checked: boolean; onChange: (checked: boolean) => void };

export function Switch({ checked, onChange, className, ...words }: SwitchProps) {
  return (
    <WithLabel {...words} className={cn('gap-2.5', className)}>
      {(control) => (
        <Radix.Root
          {...control}
          checked={checked}
          onCheckedChange={onChange}
          className="relative mt-0.5 h-4.5 w-8 shrink-0 rounded-full bg-control transition-colors disabled:opacity-55 data-[state=checked]:bg-accent"
        >
          <Radix.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-accent-fg shadow-low transition-transform data-[state=checked]:translate-x-4" />
        </Radix.Root>
      )}
    </WithLabel>
  );
}
