import '#app/app.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { siteQuery } from '#api/site.ts';
import { onDiscard } from '#app/discard-page.ts';
import { keepFocus } from '#app/keep-focus.ts';
import { queryClient } from '#app/query-client.ts';
import { router } from '#app/router.ts';
import { startTexts } from '#i18n/i18n.ts';

/** Texts and the first screen come side by side; until both are there the splash of index.html stays. */
async function start(place: HTMLElement): Promise<void> {
  // First, because requests name the language.
  const texts = startTexts('app');
  // Asked before the first screen is drawn, which then need not move when the answer comes.
  void queryClient.prefetchQuery(siteQuery);
  await Promise.all([texts, router.load()]);
  // Drawn in slices, with room between them for whatever else the page has to do.
  const page = createRoot(place);
  onDiscard(() => page.unmount());
  startTransition(() =>
    page.render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </StrictMode>,
    ),
  );
}

const place = document.getElementById('root');
// Not awaited at the top level: chunks that import from this one would wait for it, and it for them.
if (place) {
  void start(place);
  // With the first focus: until then there is none to lose.
  const observed = new AbortController();
  const keep = (): void => {
    observed.abort();
    keepFocus(place);
  };
  for (const event of ['focusin', 'keydown']) addEventListener(event, keep, { signal: observed.signal });
}
