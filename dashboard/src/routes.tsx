// The route table: read this first. Every page is lazy; `?tab=` and filters live in the URL.
import { type ComponentType, lazy } from 'react';
import { createBrowserRouter, type RouteObject } from 'react-router';
import { NotFound } from '@/shell/not-found';
import { Root } from '@/shell/root';
import { RouteError } from '@/shell/route-error';

const SignIn = lazy(() => import('@/features/sign-in/page'));

type PageModule = { default: ComponentType };

function page(path: string, load: () => Promise<PageModule>): RouteObject {
  const Page = lazy(load);
  return { path, element: <Page /> };
}

const pages: RouteObject[] = [
  page('/', () => import('@/features/home/page')),
  page('/runs/:id', () => import('@/features/run/page')),
  page('/runs/:id/plan', () => import('@/features/run/plan/plan-page')),
  page('/runs/:id/diff', () => import('@/features/run/diff/diff-page')),
  page('/start', () => import('@/features/start/page')),
  page('/workflows', () => import('@/features/workflows/page')),
  page('/workflows/:name', () => import('@/features/workflows/workflow-page')),
  page('/agents/:name', () => import('@/features/workflows/agent-page')),
  page('/teams', () => import('@/features/workflows/teams-page')),
  page('/teams/:name', () => import('@/features/workflows/team-page')),
  page('/new-team', () => import('@/features/workflows/new-team-page')),
  page('/mcp', () => import('@/features/mcp/page')),
  page('/memory', () => import('@/features/memory/page')),
  page('/compare', () => import('@/features/compare/page')),
  page('/usage', () => import('@/features/usage/page')),
  page('/settings/*', () => import('@/features/settings/page')),
  page('/doctor', () => import('@/features/doctor/page')),
];
if (import.meta.env.DEV) pages.push(page('/kit', () => import('@/kit/page')));

export const router = createBrowserRouter(
  [
    {
      element: <Root signIn={<SignIn />} />,
      children: [
        {
          errorElement: <RouteError />,
          children: [...pages, { path: '*', element: <NotFound /> }],
        },
      ],
    },
  ],
  { basename: '/ui' },
);
