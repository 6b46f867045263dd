import { NotFoundPage } from '../not-found-page.tsx';
import { PublicFrame } from './public-layout.tsx';

export function PublicNotFound() {
  return (
    <PublicFrame>
      <NotFoundPage />
    </PublicFrame>
  );
}
