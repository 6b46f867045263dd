import { Outlet } from '@tanstack/react-router';
import { Suspense, useSyncExternalStore } from 'react';
import { connection } from '#api/connection.ts';
import { ToastMount } from '#ui/feedback/toast-mount.tsx';
import { CannotSave } from '#ui/form/cannot-save.ts';
import { Notice } from './notice/notice.tsx';
import { RouteProgress } from './route-progress.tsx';
import { SignInMount } from './sign-in-again/sign-in-mount.tsx';
import { useSiteEffects } from './use-site-effects.ts';

export function Root() {
  useSiteEffects();
  const offline = useSyncExternalStore(connection.subscribe, isOffline);
  return (
    <>
      <RouteProgress />
      <Outlet />
      <Notice />
      <SignInMount />
      <CannotSave value={offline}>
        <Suspense>
          <ToastMount />
        </Suspense>
      </CannotSave>
    </>
  );
}

const isOffline = (): boolean => !connection.get().online;
