import { createFileRoute, notFound } from '@tanstack/react-router';

export const Route = createFileRoute('/panel/404')({
  beforeLoad: () => {
    throw notFound();
  },
});
