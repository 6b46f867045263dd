import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ToastMount } from '#ui/feedback/toast-mount.tsx';
import { Notice } from './notice/notice.tsx';
import { RouteProgress } from './route-progress.tsx';
import { SignInMount } from './sign-in-again/sign-in-mount.tsx';
import { useSiteEffects } from './use-site-effects.ts';

export function Root() {
  useSiteEffects();
  return (
    <>
      <RouteProgress />
      <Outlet />
      <Notice />
      <SignInMount />
      <Suspense>
        <ToastMount />
      </Suspense>
    </>
  );
}
