import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadTexts } from '#i18n/i18n.ts';

interface ResetSearch {
  /** Parameters of the link; empty where missing. */
  email: string;
  token: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const Route = createFileRoute('/_public/user/reset')({
  validateSearch: (search: Record<string, unknown>): ResetSearch => ({
    email: textOf(search['email']),
    token: textOf(search['token']),
  }),
  loader: () => loadTexts('shared', 'register'),
  component: lazyRouteComponent(() => import('./new-password-screen.tsx'), 'NewPasswordScreen'),
});
