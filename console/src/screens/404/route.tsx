import { createFileRoute, notFound } from '@tanstack/react-router';

export const Route = createFileRoute('/_public/404')({
  beforeLoad: () => {
    throw notFound();
  },
});
