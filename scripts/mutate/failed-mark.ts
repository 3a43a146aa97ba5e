/** How the process of a test file says which test failed: `mutate: failed: NAME` on a line of its own. */
export const FAILED_MARK = "mutate: failed: ";
