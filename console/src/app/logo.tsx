/** The built-in logo. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden className="flex-none">
      <rect width="24" height="24" rx="6.5" className="fill-accent-fill" />
      <path
        d="M7.5 12h2.2M9.7 12c3.6 0 2.6-5 6.3-5M9.7 12H16M9.7 12c3.6 0 2.6 5 6.3 5"
        fill="none"
        stroke="#fff"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <circle cx="6.4" cy="12" r="1.9" fill="#fff" />
      {[7, 12, 17].map((y) => (
        <circle key={y} cx="17.2" cy={y} r="1.5" fill="#fff" />
      ))}
    </svg>
  );
}
