import { useState } from 'react';
import { useTitle } from './use-title.ts';

/** Announces the title of a page that came without a page load; of the first one, browsers announce it themselves. */
export function PageAnnouncer() {
  const title = useTitle();
  const [first] = useState(title);
  const [moved, setMoved] = useState(false);
  if (!moved && title !== first) setMoved(true);
  return (
    <p role="status" className="sr-only">
      {moved && title}
    </p>
  );
}
