import { GitBranch, LayoutGrid, List, Search } from 'lucide-react';
import { useState } from 'react';
import { Section } from '@/kit/section';
import { Checkbox } from '@/ui/checkbox';
import { Combobox } from '@/ui/combobox';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Kbd } from '@/ui/kbd';
import { SegmentedControl } from '@/ui/segmented-control';
import { Select } from '@/ui/select';
import { Switch } from '@/ui/switch';
import { Textarea } from '@/ui/textarea';

const profiles = [
  { value: 'careful', label: 'Careful', hint: 'asks before every change' },
  { value: 'usual', label: 'Usual' },
  { value: 'fast', label: 'Fast', hint: 'approves plans by itself' },
];

export function Forms() {
  const [profile, setProfile] = useState('usual');
  const [branch, setBranch] = useState<string>();
  const [view, setView] = useState<'board' | 'list'>('board');
  const [on, setOn] = useState(true);
  const [picked, setPicked] = useState<boolean | 'indeterminate'>('indeterminate');
  return (
    <Section title="Forms">
      <Input
        aria-label="Search"
        placeholder="Search runs"
        icon={<Search />}
        trailing={<Kbd keys="/" />}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Profile" hint="Says which agents and models work.">
          {(control) => (
            <Select {...control} value={profile} onChange={setProfile} options={profiles} />
          )}
        </Field>
        <Field label="Branch" optional>
          {(control) => (
            <Combobox
              {...control}
              value={branch}
              onChange={setBranch}
              allowCustom
              placeholder="The default branch"
              options={['main', 'next', 'release'].map((name) => ({
                value: name,
                label: name,
                icon: <GitBranch />,
              }))}
            />
          )}
        </Field>
        <Field label="Budget" error="Must be more than 0.">
          {(control) => <Input {...control} mono defaultValue="0" trailing="USD" />}
        </Field>
        <Field label="Name" hint="Shown on the board.">
          {(control) => <Input {...control} placeholder="Short and plain" />}
        </Field>
      </div>
      <Field label="Feedback" aside={<Kbd keys="mod+enter" />}>
        {(control) => <Textarea {...control} minRows={2} placeholder="What should change?" />}
      </Field>
      <div className="flex flex-wrap items-start gap-6">
        <SegmentedControl
          label="View"
          value={view}
          onChange={setView}
          segments={[
            { value: 'board', label: 'Board', icon: <LayoutGrid /> },
            { value: 'list', label: 'List', icon: <List /> },
          ]}
        />
        <Switch checked={on} onChange={setOn} label="Notify me" hint="When something needs you." />
        <Checkbox checked={picked} onChange={setPicked} label="All files" />
        <Checkbox checked onChange={() => {}} label="src/main.rs" />
      </div>
    </Section>
  );
}
