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
  help: 'Where agents run commands. Applies to every agent of the profile.',
  fields: [
    {
      path: ['sandbox', 'mode'],
      label: 'Mode',
      help: 'This version has no other sandbox.',
      kind: {
        type: 'choice',
        choices: [
          { value: 'none', label: 'This machine', hint: 'In the run’s worktree, as your user' },
        ],
      },
    },
    {
      path: ['sandbox', 'image'],
      label: 'Image',
      help: 'The container image.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('container'),
    },
    {
      path: ['sandbox', 'network_allowlist_enabled'],
      label: 'Restrict the network',
      help: 'Allow only the hosts below.',
      kind: { type: 'switch' },
      isShown: sandbox('container', 'daytona'),
    },
    {
      path: ['sandbox', 'network_allowed_hosts'],
      label: 'Hosts',
      help: 'Host names without scheme or path.',
      kind: { type: 'words', item: 'host', placeholder: 'api.example.com' },
      isShown: sandbox('container', 'daytona'),
    },
    {
      path: ['sandbox', 'repo_url'],
      label: 'Repository URL',
      help: 'The URL to clone in the sandbox. Required for Daytona.',
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
      help: 'The region of the sandbox.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_image'],
      label: 'Image',
      help: 'The image of the cloud sandbox.',
      kind: { type: 'text', mono: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_snapshot'],
      label: 'Snapshot',
      help: 'Sandboxes start faster from a snapshot.',
      kind: { type: 'text', mono: true, optional: true },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_timeout'],
      label: 'Timeout',
      help: 'Maximum duration of an operation, in seconds.',
      kind: { type: 'number', above: 0, unit: 's' },
      isShown: sandbox('daytona'),
      isShort: true,
    },
    {
      path: ['sandbox', 'daytona_resources'],
      label: 'Size',
      help: 'JSON: {"cpu": 2, "memory": 4, "disk": 10} in cores and GB, or null.',
      kind: { type: 'json' },
      isShown: sandbox('daytona'),
    },
  ],
};
