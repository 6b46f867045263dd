import type { ReactNode } from 'react';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';

interface Props {
  title: string;
  text: string;
  /** Its actions; on phones they move into the toolbar, see `useToolbarWith`. */
  actions: ReactNode;
}

/** Header of a list of records; on phones only its title. */
export function ListHeader({ title, text, actions }: Props) {
  if (useIsPhone()) return <PageHeader title={title} />;
  return (
    <PageHeader title={title} text={text}>
      {actions}
    </PageHeader>
  );
}

/**
 * The toolbar with the actions of the header in it on phones: search and filters, then the actions, then what the
 * toolbar has at its right.
 */
export function useToolbarWith(toolbar: ToolbarProps, actions: ReactNode): ToolbarProps {
  return useIsPhone() ? { ...toolbar, aside: actions, below: toolbar.aside } : toolbar;
}
