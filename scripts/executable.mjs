export async function buildExecutable() {}
