package io.heptad.recipes.uploads;

/**
 * An upload that may be delivered.
 *
 * @param upload what was sent
 * @param cents what it costs
 */
record Order(Upload upload, long cents) {
    String body() {
        return "{\"file\":\"" + upload.name() + "\",\"customer\":\"" + upload.customer() + "\",\"lines\":"
                + upload.lines().size() + ",\"cents\":" + cents + ",\"sha256\":\"" + upload.digest() + "\"}";
    }
}
