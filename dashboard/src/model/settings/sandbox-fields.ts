// The fields of a profile's sandbox. Most of them mean something in one mode only.

import { getAt, type JsonObject } from './document-edit';
import type { FieldGroup } from './form-field';

const sandbox = (...modes: string[]) => {
  return (document: JsonObject) =>
    modes.some((mode) => getAt(document, ['sandbox', 'mode']) === mode);
};

export const sandboxing: FieldGroup = {
  id: 'sandbox',
  title: 'Sandbox',
  help: 'Where the agents’ commands run. It counts for every agent of the profile.',
  fields: [
    {
      path: ['sandbox', 'mode'],
      label: 'Mode',
      help: 'This version has no sandboxes: it accepts only this machine.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'none', label: 'This machine', hint: 'In the run’s worktree, as you' },
          { value: 'container', label: 'Container', hint: 'A container on this machine' },
          { value: 'daytona', label: 'Daytona', hint: 'A sandbox in the cloud' },
        ],
      },
    },
    {
      path: ['sandbox', 'image'],
      label: 'Image',
      help: 'Of the container.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('container'),
    },
    {
      path: ['sandbox', 'network_allowlist_enabled'],
      label: 'Restrict the network',
      help: 'Only the hosts below can be reached.',
      kind: { type: 'switch' },
      isShown: sandbox('container', 'daytona'),
    },
    {
      path: ['sandbox', 'network_allowed_hosts'],
      label: 'Hosts',
      help: 'Names without scheme and path.',
      kind: { type: 'words', item: 'host', placeholder: 'api.example.com' },
      isShown: sandbox('container', 'daytona'),
    },
    {
      path: ['sandbox', 'repo_url'],
      label: 'Address of the repository',
      help: 'What the sandbox clones. Needed with Daytona.',
      kind: { type: 'text', mono: true, optional: true },
      isShown: sandbox('daytona'),
    },
    {
      path: ['sandbox', 'daytona_api_url'],
      label: 'Daytona’s address',
      help: 'Of its API.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_target'],
      label: 'Region',
      help: 'Where the sandbox is.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_image'],
      label: 'Image',
      help: 'Of the sandbox in the cloud.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_snapshot'],
      label: 'Snapshot',
      help: 'Starts sooner from one.',
      kind: { type: 'text', mono: true, optional: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_timeout'],
      label: 'Patience',
      help: 'Seconds that an operation may take.',
      kind: { type: 'number', above: 0, unit: 's' },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_resources'],
      label: 'Size',
      help: 'As JSON: {"cpu": 2, "memory": 4, "disk": 10} in cores and GB, or null.',
      kind: { type: 'json' },
      isShown: sandbox('daytona'),
    },
  ],
};
