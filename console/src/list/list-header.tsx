import type { ReactNode } from 'react';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';

interface Props {
  title: string;
  text: string;
  /** The create button; on phones it moves into the toolbar, see `useToolbarWith`. */
  create: ReactNode;
}

/** Header of a list of records; on phones only its title. */
export function ListHeader({ title, text, create }: Props) {
  if (useIsPhone()) return <PageHeader title={title} />;
  return (
    <PageHeader title={title} text={text}>
      {create}
    </PageHeader>
  );
}

/** The toolbar with the create button in it on phones, where the list comes right after the title. */
export function useToolbarWith(toolbar: ToolbarProps, create: ReactNode): ToolbarProps {
  return useIsPhone() ? { ...toolbar, aside: create } : toolbar;
}
