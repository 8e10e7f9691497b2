import { useState } from 'react';
import { ApiError } from '@/api/http';
import { useChangeServer } from '@/api/settings';
import { Notice } from '@/features/settings/parts/notice';
import { RestartNotice } from '@/features/settings/parts/restart-notice';
import { SaveBar } from '@/features/settings/parts/save-bar';
import { SettingsSection } from '@/features/settings/parts/settings-section';
import { UnsavedGuard } from '@/features/settings/parts/unsaved-guard';
import { ServerRow } from '@/features/settings/server/server-row';
import { toast } from '@/lib/toast';
import { isSame } from '@/model/settings/document-edit';
import { faultOf } from '@/model/settings/form-field';
import { messageAt, problemsOf } from '@/model/settings/problems';
import { type ServerField, serverGroups, wantedOf } from '@/model/settings/server-fields';
import { Card } from '@/ui/card';
import type { JsonValue } from '@/wire/serde_json/JsonValue';

type ServerFormProps = { all: ServerField[]; shown: ServerField[] };

/** Every value in its group. What is changed is written to the server's file, all of it or nothing. */
export function ServerForm({ all, shown }: ServerFormProps) {
  const [edits, setEdits] = useState<Record<string, JsonValue>>({});
  const change = useChangeServer();
  const waiting = all.filter((field) => field.value.next !== null).length;
  const refused = change.error instanceof ApiError ? change.error : null;
  const problems = refused ? problemsOf(refused.details) : [];
  const faults = all.filter(
    (field) =>
      Object.hasOwn(edits, field.value.key) &&
      edits[field.value.key] !== null &&
      faultOf(field.kind, edits[field.value.key]),
  );

  const edit = (field: ServerField, value: JsonValue) => {
    change.reset();
    setEdits(({ [field.value.key]: _, ...rest }) =>
      value !== null && isSame(value, wantedOf(field.value))
        ? rest
        : { ...rest, [field.value.key]: value },
    );
  };
  const undo = (key: string) => setEdits(({ [key]: _, ...rest }) => rest);
  const save = () =>
    change.mutate(edits, {
      onSuccess: () => {
        setEdits({});
        toast({
          title: 'Saved to the configuration file',
          description: 'Restart the server to apply it.',
          tone: 'success',
        });
      },
    });
  return (
    <SettingsSection
      className={Object.keys(edits).length > 0 ? 'pb-0' : ''}
      intro="The server’s settings and where each value comes from. Changes are saved to the configuration file and take effect after a restart. Flags and environment variables override the file."
    >
      <UnsavedGuard when={Object.keys(edits).length > 0} what="server settings" />
      {waiting > 0 && <RestartNotice count={waiting} />}
      {refused && (
        <Notice tone="error" title="Nothing was saved">
          {problems.length === 0 ? refused.message : 'Check the marked values.'}
        </Notice>
      )}
      {serverGroups.map((group) => {
        const fields = shown.filter((field) => field.group === group);
        if (fields.length === 0) return null;
        return (
          <Card key={group} flush title={group}>
            <ul>
              {fields.map((field) => {
                const { key } = field.value;
                const edited = Object.hasOwn(edits, key) ? edits[key] : undefined;
                const fault =
                  edited === undefined || edited === null ? undefined : faultOf(field.kind, edited);
                return (
                  <ServerRow
                    key={key}
                    field={field}
                    edited={edited}
                    error={fault ?? messageAt(problems, key)}
                    onChange={(value) => edit(field, value)}
                    onUndo={() => undo(key)}
                  />
                );
              })}
            </ul>
          </Card>
        );
      })}
      <SaveBar
        changes={Object.keys(edits).length}
        faults={faults.length}
        label="Save to file"
        saving={change.isPending}
        onDiscard={() => {
          setEdits({});
          change.reset();
        }}
        onSave={save}
      />
    </SettingsSection>
  );
}
