import { Braces } from 'lucide-react';
import type { JsonObject } from '@/model/settings/document-edit';
import { elsewhere, groups } from '@/model/settings/profile-fields';

type UnknownFieldsProps = { document: JsonObject };

const known = new Set([
  ...groups.flatMap((group) => group.fields.map((field) => String(field.path[0]))),
  ...elsewhere,
]);

/** Says that there is more in the document than the form knows, and that it is kept. */
export function UnknownFields({ document }: UnknownFieldsProps) {
  const names = Object.keys(document).filter((name) => !known.has(name));
  if (names.length === 0) return null;
  return (
    <p className="flex items-start gap-2 px-1 text-xs text-muted">
      <Braces aria-hidden className="mt-px size-4 shrink-0" />
      <span>
        Other settings in this profile, kept as they are: <code>{names.join(', ')}</code>. Edit them
        in the JSON view.
      </span>
    </p>
  );
}
