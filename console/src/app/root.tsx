import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { ProofMount } from '#shared/proof-mount.tsx';
import { ToastMount } from '#shared/toast-mount.tsx';
import { Notice } from './notice/notice.tsx';
import { RouteProgress } from './route-progress.tsx';
import { useSiteEffects } from './use-site-effects.ts';

export function Root() {
  useSiteEffects();
  return (
    <>
      <RouteProgress />
      <Outlet />
      <Notice />
      <ProofMount />
      <Suspense>
        <ToastMount />
      </Suspense>
    </>
  );
}
