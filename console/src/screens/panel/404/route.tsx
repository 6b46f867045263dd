import { createFileRoute, notFound } from '@tanstack/react-router';

// Thrown while it is drawn, so that the page stands inside of the panel's frame.
export const Route = createFileRoute('/panel/404')({
  component: () => {
    throw notFound();
  },
});
