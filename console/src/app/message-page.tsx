import type { ReactNode } from 'react';

interface Props {
  title: string;
  picture?: ReactNode;
  /** Says what happened and what to do. */
  children: ReactNode;
  actions: ReactNode;
}

/** A full page with one message. */
export function MessagePage({ title, picture, children, actions }: Props) {
  return (
    <div className="m-auto flex max-w-xl flex-col items-center px-4 py-16 text-center">
      {picture}
      <h1 className="mt-8 text-24">{title}</h1>
      <div className="mt-1.5 text-15 text-balance break-words text-text2">{children}</div>
      <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div>
    </div>
  );
}
